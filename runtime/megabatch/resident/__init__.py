"""A folder of results in Parquet read back: in columns on a device, in shuffled batches.

dataset    ResidentDataset: what is asked for, and the epochs
folder     the folder's files: which columns can be read, and what they will take
columns    a column as flat arrays, from Arrow; rows of it as a padded array
stream     the columns in blocks, each read while the one before is in use
"""

from megabatt.runtime.megabatch.resident.dataset import DatasetBatch, ResidentDataset
from megabatt.runtime.megabatch.resident.folder import DatasetError

__all__ = ["DatasetBatch", "DatasetError", "ResidentDataset"]
