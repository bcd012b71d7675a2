"""A matrix on a GPU is read there without a copy: gpu_memory.py MAP.osm [LARGER.osm.pbf]

Each reader's pointer is compared with the engine's: the DLPack capsule's and torch's and CuPy's, if these are installed.
Values are read on the device and compared with those of the CPU.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import tempfile
import time
import warnings
from typing import Any

import macadam
import numpy as np


class Tensor(ctypes.Structure):
    """The beginning of DLPack's DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


def tensor_of(capsule: Any) -> Tensor:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Tensor.from_address(get(capsule, b"dltensor"))


def read_by_driver(address: int, count: int) -> Any:
    """The numbers at an address of the device, by the driver's own call."""
    driver, out = ctypes.CDLL("libcuda.so.1"), np.empty(count, np.uint32)
    context = ctypes.c_void_p()
    assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxSetCurrent(context) == 0
    to = ctypes.c_void_p(out.ctypes.data)
    assert driver.cuMemcpyDtoH_v2(to, ctypes.c_uint64(address), ctypes.c_size_t(out.nbytes)) == 0
    return out


def check(engine: macadam.Engine, on_cpu: macadam.Engine, ids: Any) -> None:
    both = ("duration", "distance")
    start = time.perf_counter()
    matrix = engine.matrix(ids, quantities=both, device=True)
    seconds = time.perf_counter() - start
    expected = on_cpu.matrix(ids, quantities=both)
    for name in both:
        array, cells = matrix[name], expected[name]
        address, capsule = array.__cuda_array_interface__["data"][0], array.__dlpack__()
        tensor = tensor_of(capsule)
        assert array.__dlpack_device__() == (2, 0) == (tensor.device_type, tensor.device_id)
        assert tensor.data == address == array.address
        assert np.array_equal(read_by_driver(address, cells.size).reshape(cells.shape), cells)
        readers = []
        if importlib.util.find_spec("torch"):
            import torch

            tensors = [torch.from_dlpack(array), torch.as_tensor(array, device="cuda")]
            assert all(it.data_ptr() == address and it.is_cuda for it in tensors), "torch made a copy"
            assert np.array_equal(tensors[0].cpu().numpy(), cells)
            total = int(tensors[0].to(torch.int64).sum())  # computed on the device
            assert total == int(cells.sum(dtype=np.int64))
            readers.append(f"torch {torch.__version__}")
        if importlib.util.find_spec("cupy"):
            import cupy

            views = [cupy.from_dlpack(array), cupy.asarray(array)]
            assert all(it.data.ptr == address for it in views), "CuPy made a copy"
            assert np.array_equal(cupy.asnumpy(views[0]), cells)
            cupy_out = cupy.empty(cells.shape, cupy.uint32)
            engine.matrix(ids, quantities=name, out=cupy_out)  # and the other way round
            assert np.array_equal(cupy.asnumpy(cupy_out), cells)
            readers.append(f"CuPy {cupy.__version__}")
        shape = " x ".join(map(str, cells.shape))
        print(f"{shape} {name} at {address:#x}: one pointer for the engine, the array interface, the DLPack capsule and", end=" ")
        print(", ".join(readers) or "no reader", f"({1000 * seconds:.1f} ms)")


def main() -> None:
    warnings.simplefilter("ignore")
    for source in filter(None, sys.argv[1:]):
        path = tempfile.mkdtemp() + "/map.mcd"
        macadam.import_osm(source, path)
        with macadam.open(path, device="cuda") as engine, macadam.open(path, device="cpu") as on_cpu:
            print(engine)
            ids = np.random.default_rng(1).choice(engine.ids, 4000 if len(engine.ids) > 4000 else len(engine.ids))
            for _ in range(2):
                check(engine, on_cpu, ids)


if __name__ == "__main__":
    main()
