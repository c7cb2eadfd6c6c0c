"""llama.cpp's own HTTP server out of the package xllamacpp, started with those flags of llama-server that are used here."""

import argparse
import signal
import time

import xllamacpp

parser = argparse.ArgumentParser(prog="llama-server", allow_abbrev=False)
parser.add_argument("--model", required=True)
parser.add_argument("--alias")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int, default=8080)
parser.add_argument("--ctx-size", type=int, default=0)
parser.add_argument("--parallel", type=int, default=1)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seed", type=int)
flags = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path = flags.model
if flags.alias is not None:
    params.model_alias = {flags.alias}
params.hostnames = [flags.host]
params.port = flags.port
params.n_ctx = flags.ctx_size
params.n_parallel = flags.parallel
params.cpuparams.n_threads = flags.threads
if flags.seed is not None:
    params.sampling.seed = flags.seed

# The package's own threads keep Python from seeing a signal while the model loads.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
server = xllamacpp.Server(params)
print(f"listening on {server.listening_address}", flush=True)
while True:
    time.sleep(3600)
