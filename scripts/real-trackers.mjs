// Installs TensorBoard, whose reader tests use, the packages of W&B, Trackio and SwanLab, and pandas for tables of Trackio into a virtual environment. The folder is $PIPELINE_TRACKERS, or else
// ~/.cache/pipeline/trackers. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-trackers.mjs      prints where that Python is, as JSON
import { join } from 'node:path'
import { installPythonPackages } from './python-packages.mjs'

const programs = installPythonPackages({
  name: 'trackers',
  variable: 'PIPELINE_TRACKERS',
  packages: ['tensorboard==2.21.0', 'wandb==0.31.0', 'trackio==0.43.0', 'swanlab==0.10.3', 'pandas==3.1.1'],
})
process.stdout.write(`${JSON.stringify({ python: join(programs, 'python') })}\n`)
