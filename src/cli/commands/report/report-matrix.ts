/** Prints models × tasks, for `report --matrix`. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import type { Store } from '../../../../cache/store.js'
import { csvMatrix } from '../../../present/files/csv.js'
import { latexMatrix } from '../../../present/files/latex.js'
import { markdownMatrix } from '../../../present/files/markdown.js'
import { runsTable } from '../../../present/files/runs-table.js'
import { columnsByModel } from '../../../present/files/table-columns.js'
import { leaderboardJson } from '../../../present/json/leaderboard-json.js'
import { listedModel } from '../../../present/text/results/run-header.js'
import type { ScoredRun } from '../../../reading/comparing/scored-run.js'
import { makeLeaderboard, readLeaderboard, type Leaderboard } from '../../../reading/leaderboard/read-leaderboard.js'
import type { Tools } from '../../command.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'
import { chosenFormat, type FormatFlags } from '../../flags/file-format.js'

/**
 * Prints the leaderboard of the named runs, or of all judged runs of the store.
 *
 * @throws PipelineError (usage) if a flag requests an unsupported format, or the store has no judged run
 */
export async function printMatrix(
  store: Store,
  runs: readonly ScoredRun[],
  { flags, tools: { terminal } }: { readonly flags: OutputFlags & FormatFlags; readonly tools: Tools },
): Promise<void> {
  const format = chosenFormat(flags)
  if (format === 'junit' || flags.html !== undefined)
    throw new PipelineError(
      'usage',
      '--matrix has the forms of the terminal, --csv, --md, --latex and --json. `report RUN … --html FILE` holds the leaderboard of the runs as a page',
    )
  const board =
    runs.length === 0
      ? await readLeaderboard(store, {}, listedModel)
      : await makeLeaderboard(runs, { labelModel: listedModel })
  if (board.models.length === 0) throw new PipelineError('usage', 'the store holds no judged run')
  if (flags.json === true) terminal.printData(JSON.stringify(leaderboardJson(board), undefined, 2))
  else if (format !== undefined) for await (const part of writeMatrix(board, format)) terminal.printPart(part)
  else terminal.print(await runsTable(columnsByModel(board), terminal.paint.out))
  if (board.leftOut > 0 && flags.quiet !== true)
    terminal.tell(
      `note: ${formatQuantity(board.leftOut, 'further model')} with only older runs ${board.leftOut === 1 ? 'is' : 'are'} left out. Name their runs to see them.`,
    )
}

function writeMatrix(board: Leaderboard, format: 'csv' | 'md' | 'latex'): AsyncIterable<string> | Iterable<string> {
  if (format === 'csv') return csvMatrix(board)
  return format === 'md' ? markdownMatrix(columnsByModel(board)) : latexMatrix(columnsByModel(board))
}
