import { PipelineError } from '../../../base/errors/errors.js'
import { size } from '../../../base/text/numbers.js'
import { freedJson } from '../../present/json/freed-json.js'
import { freedLines, isNothingFreed, usersNote } from '../../present/text/freed-lines.js'
import { modelLabel } from '../../present/text/results/run-header.js'
import { findFreed, freeStore } from '../../upkeep/free-store.js'
import { askToConfirm, isPersonThere } from '../ask-person.js'
import type { Tools } from '../command.js'
import { locateStore, withOpenStore } from '../open-run.js'
import { describeRemoval, readRemovalChoice, removalLines, type RemoveFlags } from './runs/runs-remove.js'

/**
 * Removes the chosen runs, and frees everything that no run refers to. It first lists what would be freed, and asks for confirmation.
 *
 * @throws PipelineError if nobody confirms
 */
export async function collectGarbage(references: readonly string[], flags: RemoveFlags, tools: Tools): Promise<void> {
  const { terminal } = tools
  const { json = false, quiet = false, dryRun = false } = flags
  const choice = readRemovalChoice('cache gc', references, flags, tools)
  const { found, removals } = await withOpenStore(locateStore(flags, tools), 'read', async store => {
    const freed = await findFreed(store, choice, modelLabel)
    return { found: freed, removals: await Promise.all(freed.runs.map(run => describeRemoval(store, run))) }
  })
  const planned = freedJson(found)
  if (dryRun && json) {
    terminal.printData(JSON.stringify({ would_free: planned }, undefined, 2))
    return
  }
  if (!json && !quiet) {
    if (removals.length > 0) terminal.print([...removalLines(removals, 'runs to remove: ', '', terminal.paint.out), ''])
    if (isNothingFreed(planned)) terminal.print('nothing to free: runs refer to all that is stored')
    else terminal.print([...freedLines(planned, terminal.paint.out), `${size(planned.bytes)} would be freed`])
    if (planned.media.files > 0 && usersNote(planned) !== '') terminal.tell(`note: ${usersNote(planned)}`)
  }
  if (dryRun) return
  if (isNothingFreed(planned)) {
    if (json) terminal.printData(JSON.stringify({ freed: planned }, undefined, 2))
    return
  }
  if (flags.yes !== true) {
    if (!isPersonThere()) throw new PipelineError('usage', 'cache gc: nothing was freed. Confirm with --yes')
    if (!(await askToConfirm(`Free ${size(planned.bytes)}? The answers are paid for, and would be requested again.`))) {
      terminal.tell('nothing was freed')
      return
    }
  }
  const freed = freedJson(
    await withOpenStore(locateStore(flags, tools), 'change', store =>
      freeStore(store, found.runs, problem => {
        terminal.tell(`note: ${problem}`)
      }),
    ),
  )
  if (json) terminal.printData(JSON.stringify({ freed }, undefined, 2))
  else if (!quiet) terminal.print(`freed ${size(freed.bytes)}`)
}
