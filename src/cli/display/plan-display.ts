import { exitCode, type ExitCode } from '../exit-code.js'
import { previewEvaluation, type Preview } from '../../preview/preview.js'
import { previewJson } from '../../preview/preview-json.js'
import { previewLines } from '../../preview/preview-table.js'
import type { EvalSettings } from '../../config/settings.js'
import type { Tools } from '../command.js'
import { commandLine } from '../command-line-words.js'
import type { OutputFlags } from '../flags/evaluation-options.js'

/** Implements `--plan`: shows what the command would send, without sending it. */
export async function showPlan(
  settings: EvalSettings,
  {
    json,
    quiet,
    isJudged,
    onPlan,
  }: Pick<OutputFlags, 'json' | 'quiet'> & {
    readonly isJudged: boolean
    readonly onPlan?: ((preview: Preview) => void) | undefined
  },
  { terminal }: Tools,
): Promise<ExitCode> {
  const never = new AbortController().signal
  const preview = await previewEvaluation(settings, {
    emit: event => {
      if (event.type === 'note' && (quiet !== true || event.isUrgent === true)) terminal.tell(`note: ${event.text}`)
    },
    drain: never,
    stop: never,
  })
  onPlan?.(preview)
  if (json === true) terminal.printData(JSON.stringify(previewJson(preview), undefined, 2))
  else terminal.print(previewLines(preview, { isJudged, spelling: commandLine, limits: settings }, terminal.paint.out))
  return exitCode({})
}
