// Installs Schemathesis, which tests HTTP services by their OpenAPI documents, into a virtual environment. The folder is $PIPELINE_SCHEMATHESIS, or
// else ~/.cache/pipeline/schemathesis. It needs Python 3.10 with venv and a package registry, which pipeline itself does not.
//
//   node scripts/real-schemathesis.mjs      prints where the program is, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const version = '4.32.5'
const { env } = process
const folder =
  env.PIPELINE_SCHEMATHESIS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/schemathesis')
const complete = join(folder, `complete-${version}`)
const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

if (!existsSync(complete)) {
  try {
    run(env.PYTHON ?? 'python3', '-m', 'venv', folder)
    run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`)
    writeFileSync(complete, '')
  } catch (error) {
    // Exit code 2: this machine lacks something, which is no fault of the project.
    process.stderr.write(
      `schemathesis: there is no Python with venv, or a registry that has schemathesis ${version}: ${String(error.stderr ?? error.message).split('\n')[0]}\n`,
    )
    process.exit(2)
  }
}
process.stdout.write(`${JSON.stringify({ program: join(folder, 'bin/st') })}\n`)
