// Installs a server of MLflow into a virtual environment: the package without what only models need, and the packages that its server imports. The folder is
// $PIPELINE_MLFLOW, or else ~/.cache/pipeline/mlflow. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-mlflow.mjs      prints where the program is, as JSON
import { join } from 'node:path'
import { installPythonPackages } from './python-packages.mjs'

const programs = installPythonPackages({
  name: 'mlflow',
  variable: 'PIPELINE_MLFLOW',
  packages: [
    ...['mlflow-skinny==3.17.2', 'flask==3.1.3', 'flask-cors==6.0.5', 'sqlalchemy==2.1.9', 'alembic==1.20.1'],
    ...['aiohttp==3.14.5', 'numpy==2.4.6', 'pandas==3.1.1'],
  ],
})
process.stdout.write(`${JSON.stringify({ program: join(programs, 'mlflow') })}\n`)
