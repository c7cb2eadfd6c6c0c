import { execFileSync } from 'node:child_process'

/** Builds the program once before the tests that run it, unless `PIPELINE_TEST_BUILT` says that it is built. */
export function setup(): void {
  if (process.env['PIPELINE_TEST_BUILT'] !== undefined) return
  execFileSync('npm', ['run', 'build', '--silent'], { stdio: ['ignore', 'inherit', 'inherit'] })
}
