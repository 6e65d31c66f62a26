// The threads of a block, which wait for one another, as fibers on one thread of the host: each has
// a stack of its own, and when a fiber waits, the next goes on. Threads of the host would take
// longer to start than most blocks take to run; a fiber that is done serves the next block.
//
// Everything is static: a process may have the driver's copy beside that of a library of a test.

#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace fibers {

const size_t STACK = 1 << 16;
const unsigned WARP = 32;

struct Thread {
  enum State { BEGINS, RUNS, WAITS_FOR_WARP, WAITS_FOR_BLOCK, DONE, LEFT } state = BEGINS;
  jmp_buf at;  // where the thread goes on
  std::unique_ptr<char[]> stack{new char[STACK]};
};

static std::vector<Thread> threads;
static unsigned running;
static jmp_buf turner;
static std::function<bool(unsigned)> function;

// Called by the running thread: lets others run, until its turn comes again.
static void stop(Thread::State state) {
  threads[running].state = state;
  if (!_setjmp(threads[running].at)) _longjmp(turner, 1);
}

static void wait(bool whole_block) {
  stop(whole_block ? Thread::WAITS_FOR_BLOCK : Thread::WAITS_FOR_WARP);
}

// Called by the running thread: lets others go on first.
static void pause() { stop(Thread::RUNS); }

static void run_threads() {
  for (;;) {
    if (!function(running))
      for (Thread& other : threads) other.state = Thread::LEFT;
    stop(Thread::DONE);
  }
}

// Runs a thread until it stops.
static void turn_to(unsigned number) {
  running = number;
  Thread& thread = threads[number];
  if (_setjmp(turner)) return;
  if (thread.state == Thread::RUNS) _longjmp(thread.at, 1);
  ucontext_t start;
  getcontext(&start);
  start.uc_stack.ss_sp = thread.stack.get();
  start.uc_stack.ss_size = STACK;
  start.uc_link = nullptr;
  makecontext(&start, run_threads, 0);
  setcontext(&start);
}

// Lets the threads in a state of waiting go on, and tells whether there are any.
static bool go_on(unsigned begin, unsigned end, Thread::State waiting) {
  bool found = false;
  for (unsigned number = begin; number < end; ++number) {
    if (threads[number].state != waiting) continue;
    threads[number].state = Thread::RUNS;
    found = true;
  }
  return found;
}

// Runs a warp until its threads are done or wait for the block.
static void run_warp(unsigned begin, unsigned end, bool backwards) {
  for (bool again = true; again;) {
    unsigned paused = 0, for_warp = 0, for_block = 0;
    for (unsigned turn = 0; turn < end - begin; ++turn) {
      unsigned number = backwards ? end - 1 - turn : begin + turn;
      if (threads[number].state <= Thread::RUNS) turn_to(number);
      paused += threads[number].state == Thread::RUNS;
      for_warp += threads[number].state == Thread::WAITS_FOR_WARP;
      for_block += threads[number].state == Thread::WAITS_FOR_BLOCK;
    }
    if (!paused && for_warp && for_block) {
      fprintf(stderr, "some threads of a warp wait for it, others for the block\n");
      abort();
    }
    again = paused || go_on(begin, end, Thread::WAITS_FOR_WARP);
  }
}

// Runs `thread(number)` for all threads of a block, or until a call returns false, which leaves the
// other threads where they wait. backwards: the last thread runs first.
static void run_block(unsigned count, bool backwards, std::function<bool(unsigned)> thread) {
  function = std::move(thread);
  if (threads.size() < count) threads.resize(count);
  for (unsigned number = 0; number < count; ++number) {
    auto& state = threads[number].state;
    state = state == Thread::DONE ? Thread::RUNS : Thread::BEGINS;
  }
  unsigned warps = (count + WARP - 1) / WARP;
  do {
    for (unsigned turn = 0; turn < warps; ++turn) {
      unsigned begin = WARP * (backwards ? warps - 1 - turn : turn);
      run_warp(begin, std::min(begin + WARP, count), backwards);
    }
  } while (go_on(0, count, Thread::WAITS_FOR_BLOCK));
}

}  // namespace fibers
