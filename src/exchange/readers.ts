import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import type { LogReader } from './foreign-log.js'
import { evalscopeLogs } from './read/evalscope/evalscope.js'
import { helmLogs } from './read/helm/helm.js'
import { inspectLogs } from './read/inspect/inspect.js'
import { lmEval } from './read/harness/lm-eval.js'
import { lmmsEval } from './read/harness/lmms-eval.js'
import { promptfooLogs } from './read/promptfoo.js'
import { vlmevalkitLogs } from './read/vlmevalkit/vlmevalkit.js'

/** The readers of other tools' logs. A new one is added here. */
const logReaders: readonly LogReader[] = [
  lmmsEval,
  lmEval,
  inspectLogs,
  evalscopeLogs,
  helmLogs,
  promptfooLogs,
  vlmevalkitLogs,
]

/** The names of the tools whose logs can be imported. */
export const logTools = (): readonly string[] => logReaders.map(({ tool }) => tool)

/**
 * Finds the reader of a log.
 *
 * @param tool the tool's name, if the user gave it
 * @returns undefined if no tool is named and no reader recognises the log
 * @throws PipelineError if several readers recognise the log
 */
export async function findReader(path: string, tool?: string): Promise<LogReader | undefined> {
  if (tool !== undefined) return logReaders.find(reader => reader.tool === tool)
  const readers: LogReader[] = []
  for (const reader of logReaders) if (await reader.recognises(path)) readers.push(reader)
  if (readers.length > 1)
    throw new PipelineError(
      'usage',
      `${shownPath(path)} may be a log of ${readers.map(reader => reader.tool).join(' or ')}: name the tool with --from`,
    )
  return readers[0]
}
