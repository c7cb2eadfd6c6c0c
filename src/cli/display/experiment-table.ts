import { shellWord } from '../../../base/text/shell-word.js'
import { isScored, type ReportedRun } from '../../present/files/reported-run.js'
import { runsTable } from '../../present/files/runs-table.js'
import { columnsByRun } from '../../present/files/table-columns.js'
import type { Tools } from '../command.js'
import { storeFlag } from '../flags/store-flag.js'
import { openRun, withOpenStore } from '../open-run.js'

/** A run of an experiment, with the names of its model, variant and generation settings. */
export interface Cell {
  readonly label: string
  /** The name of the run. */
  readonly run: string
}

/** Prints the table of an experiment: a row for each task and metric, a column for each combination that has scores. */
export async function showCells(cells: readonly Cell[], store: string, { terminal, env }: Tools): Promise<void> {
  await withOpenStore({ dir: store, terminal }, 'read', async opened => {
    const reported: ReportedRun[] = []
    for (const { label, run } of cells)
      reported.push({ store: opened, ...(await openRun(opened, run)), failures: [], label })
    const scored = reported.filter(isScored)
    if (scored.length === 0) return
    terminal.print(['', ...(await runsTable(columnsByRun(scored), terminal.paint.out))])
    const names = scored.map(({ run }) => shellWord(run.name)).join(' ')
    terminal.tell(
      `the same table as a file:  pipeline report ${names}${storeFlag(store, env)} --md   (or --csv, --latex, --html FILE)`,
    )
  })
}
