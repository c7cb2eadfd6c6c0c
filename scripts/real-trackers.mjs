// Installs TensorBoard, whose reader tests use, and the package of W&B into a virtual environment. The folder is $PIPELINE_TRACKERS, or else
// ~/.cache/pipeline/trackers. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-trackers.mjs      prints where that Python is, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const packages = ['tensorboard==2.21.0', 'wandb==0.31.0']
const { env } = process
const folder = env.PIPELINE_TRACKERS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/trackers')
const complete = join(folder, `complete-${packages.join('-')}`)
const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

if (!existsSync(complete)) {
  try {
    run(env.PYTHON ?? 'python3', '-m', 'venv', folder)
    run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages)
    writeFileSync(complete, '')
  } catch (error) {
    // Exit code 2: this machine lacks something, which is no fault of the project.
    process.stderr.write(
      `trackers: there is no Python with venv, or a registry that has ${packages.join(' and ')}: ${String(error.stderr ?? error.message).split('\n')[0]}\n`,
    )
    process.exit(2)
  }
}
process.stdout.write(`${JSON.stringify({ python: join(folder, 'bin/python') })}\n`)
