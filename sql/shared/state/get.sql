-- Where the file stands: generation, packing.
SELECT generation, packing FROM state
