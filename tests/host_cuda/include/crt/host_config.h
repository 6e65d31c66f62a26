// Replaces the header of NVIDIA's compiler, which checks the host's compiler.
#pragma once
