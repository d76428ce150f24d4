"""Studies: many runs of one base, with factors that change between them, through Dask distributed."""
