// Installs packages of Python into a virtual environment, for tests that need the real thing.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Installs packages once. Ends the process with exit code 2 if this machine has no Python 3.10 with venv or no package registry, which is no fault of
 * the project.
 *
 * @param {{ name: string, variable: string, packages: readonly string[] }} what the name of the folder below ~/.cache/pipeline, and the environment
 *   variable with another folder
 * @returns {string} the folder of the environment's programs
 */
export function installPythonPackages({ name, variable, packages }) {
  const { env } = process
  const folder = env[variable] ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline', name)
  const complete = join(folder, `complete-${packages.join('-').replaceAll(/[^\w.]/g, '-')}`)
  const run = (program, ...args) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  if (!existsSync(complete)) {
    try {
      run(env.PYTHON ?? 'python3', '-m', 'venv', folder)
      run(join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages)
      writeFileSync(complete, '')
    } catch (error) {
      process.stderr.write(
        `${name}: there is no Python with venv, or a registry that has ${packages.join(' and ')}: ${String(error.stderr ?? error.message).split('\n')[0]}\n`,
      )
      process.exit(2)
    }
  }
  return join(folder, 'bin')
}
