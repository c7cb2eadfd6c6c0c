// Installs Schemathesis, which tests HTTP services by their OpenAPI documents, into a virtual environment. The folder is $PIPELINE_SCHEMATHESIS, or
// else ~/.cache/pipeline/schemathesis. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-schemathesis.mjs      prints where the program is, as JSON
import { join } from 'node:path'
import { installPythonPackages } from './python-packages.mjs'

const programs = installPythonPackages({
  name: 'schemathesis',
  variable: 'PIPELINE_SCHEMATHESIS',
  packages: ['schemathesis==4.32.5'],
})
process.stdout.write(`${JSON.stringify({ program: join(programs, 'st') })}\n`)
