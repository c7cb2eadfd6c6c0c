import type { SampleView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'

/** Finds the same doc in another run, where tasks and docs may be in another order. Undefined if that run does not have it. */
export async function otherSample(
  source: Source,
  run: string,
  { taskName, id, index }: Pick<SampleView, 'taskName' | 'id' | 'index'>,
): Promise<SampleView | undefined> {
  const { provenance } = await source.run(run)
  const task = provenance.tasks.findIndex(({ name }) => name === taskName)
  if (task < 0) return undefined
  const likely = await source.sample(run, task, index).catch(() => undefined)
  if (likely?.id === id) return likely
  const found = await source.samples(run, { only: 'all', task: taskName, q: `"${id}"`, offset: 0, limit: 100 })
  const row = found.rows.find(each => each.id === id)
  return row === undefined ? undefined : source.sample(run, row.task, row.index)
}
