import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { projectRoot } from '../../cache/code/project-root.js'
import { makeRenderer, type Rendered } from '../../stages/input/render/renderer.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'

/**
 * Renders an invented doc of a built-in task, so that its page shows a prompt before any data is downloaded. Undefined if there is no fitting doc.
 * Media have a name and no bytes.
 */
export async function renderedSampleDoc(task: Task): Promise<Extract<Rendered, { type: 'rendered' }> | undefined> {
  for (const doc of await sampleDocs(task)) {
    const rendered = tryRendering(task, doc)
    if (rendered !== undefined) return rendered
  }
  return undefined
}

async function sampleDocs({ file }: Task): Promise<readonly Doc[]> {
  const [folder = '', ...rest] = relative(join(projectRoot, 'tasks'), file).split(sep)
  if (folder === '..' || rest.length === 0) return []
  try {
    const all = JSON.parse(await readFile(join(projectRoot, 'examples/made-up-docs.json'), 'utf8')) as Readonly<
      Record<string, readonly Doc[]>
    >
    return all[folder] ?? []
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return []
  }
}

/** Tasks of one folder have docs of several forms; one that is not this task's is passed over. */
function tryRendering(task: Task, doc: Doc): Extract<Rendered, { type: 'rendered' }> | undefined {
  try {
    const rendered = makeRenderer(task, Object.keys(doc)).render(doc)
    return rendered.type === 'rendered' ? rendered : undefined
  } catch (error) {
    if (error instanceof PipelineError) return undefined
    throw error
  }
}
