// Installs @huggingface/transformers from the package registry, without its dependencies' scripts. The folder is $PIPELINE_TRANSFORMERS_JS, or else
// ~/.cache/pipeline/transformers-js.
//
//   node scripts/real-transformers-js.mjs      prints the folder of modules for NODE_PATH, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const version = '4.3.1'
const { env } = process
const folder =
  env.PIPELINE_TRANSFORMERS_JS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/transformers-js')
const complete = join(folder, `complete-${version}`)

if (!existsSync(complete)) {
  try {
    mkdirSync(folder, { recursive: true })
    const line = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder]
    execFileSync('npm', [...line, `@huggingface/transformers@${version}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: 300_000,
    })
    writeFileSync(complete, '')
  } catch (error) {
    // Exit code 2: this machine lacks something, which is no fault of the project.
    process.stderr.write(
      `transformers.js: there is no registry that has @huggingface/transformers ${version}: ${String(error.stderr ?? error.message).split('\n')[0]}\n`,
    )
    process.exit(2)
  }
}
process.stdout.write(`${JSON.stringify({ modules: join(folder, 'node_modules') })}\n`)
