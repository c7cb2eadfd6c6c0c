"""Writes lz4-nulls.parquet with pyarrow 26.0.1: columns without a value have an empty dictionary, compressed as LZ4_RAW."""

import pyarrow as pa
import pyarrow.parquet as pq

schema = pa.schema(
    [
        ("q", pa.string()),
        ("n", pa.string()),
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
    ]
)
columns = {
    "q": [f"q{i}" for i in range(5)],
    "n": [None] * 5,
    "image": [{"bytes": b"\x89PNG%d" % i, "path": None} for i in range(5)],
}
pq.write_table(pa.table(columns, schema=schema), "lz4-nulls.parquet", compression="lz4", store_schema=False)
