import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { describeSources, type BuildInfo } from './describe-sources.js'
import { codeRoot, isBuilt, projectRoot } from './project-root.js'

export { projectRoot } from './project-root.js'
export type { BuildInfo } from './describe-sources.js'

let cachedInfo: BuildInfo | undefined

/**
 * Describes the running code: as stamped into `dist/build.json` by the build, or read from the sources if they run
 * directly.
 *
 * @throws PipelineError if the build is not complete
 */
export function buildInfo(): BuildInfo {
  cachedInfo ??= isBuilt ? readStamp() : describeSources(projectRoot)
  return cachedInfo
}

function readStamp(): BuildInfo {
  const file = join(codeRoot, 'build.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BuildInfo
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error
    throw new PipelineError('config', `${file} is missing or damaged: run \`npm run build\``, { cause: error })
  }
}
