// In place of the one that comes with NVIDIA's compiler, which checks the host's compiler.
#pragma once
