"""ordeval against its peers: who gives the right number, and how fast.

``python -m benchmarks.peers [--quick] [--output FOLDER]``. A peer is called by its public function
as its documentation shows it, on the same data in the same run. One that is not installed is left
out, and the tables say so.
"""
