"""The CUDA module of Macadam. The package macadam finds it here; there is nothing to call."""
