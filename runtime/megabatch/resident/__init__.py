"""Reads a folder of Parquet files into columns on a device, in shuffled batches.

dataset    ResidentDataset, and its epochs
folder     the folder's files: the readable columns, and their memory
columns    columns as flat arrays, from Arrow; rows as padded arrays
stream     reads blocks ahead of use; beside: columns of arrays beside the Parquet files
"""

from megabatt.runtime.megabatch.resident.dataset import DatasetBatch, ResidentDataset
from megabatt.runtime.megabatch.resident.folder import DatasetError

__all__ = ["DatasetBatch", "DatasetError", "ResidentDataset"]
