/** Shows one sample: prompt, answer and scoring. */
import { useEffect, useState } from 'preact/hooks'
import type { Mark, SampleView } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { useLoaded } from '../../data/use-loaded.js'
import { OutcomeBadge } from '../../parts/badge.js'
import { SearchProvider, showFirstHit } from '../../parts/hits.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { go } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { NoteDialog } from '../samples/note-dialog.js'
import { parseSampleFilter } from '../samples/filter-query.js'
import { kindNames, sampleHash, samplesHash } from '../samples/sample-address.js'
import { useLabelling } from '../samples/use-labelling.js'
import { labelShortcuts } from '../samples/use-list-keys.js'
import { SampleBody } from './sample-body.js'
import { useNextUnlabelled } from './use-next-unlabelled.js'
import { useNeighbours } from './use-neighbours.js'
import type { Source } from '../../data/source.js'

/** Shows one sample with links to its neighbours. */
export function SamplePage({ source, address }: PageProps) {
  const run = address.path[1] ?? ''
  const task = Number(address.path[3])
  const index = Number(address.path[4])
  const filter = parseSampleFilter(address.query)
  const { against } = filter
  const addressOffset = address.query['at'] === undefined ? undefined : Number(address.query['at'])
  const { value, error, isLoading, reload } = useLoaded(`${run} ${task}/${index}`, () =>
    source.sample(run, task, index),
  )
  // The older sample may be another run's.
  const sample = isLoading ? undefined : value
  const other = useLoaded(sample === undefined ? '' : `${against ?? ''} ${sample.taskName} ${sample.id}`, () =>
    sample === undefined || against === undefined ? Promise.resolve(undefined) : otherSample(source, against, sample),
  )
  useEffect(() => {
    if (sample !== undefined && filter.q !== undefined) showFirstHit('.sample-body')
  }, [sample, filter.q])
  const near = useNeighbours(source, { run, filter, task, index, given: addressOffset })
  const labelling = useLabelling()
  const [isNoting, setIsNoting] = useState(false)

  const to = (place: typeof near.next): void => {
    if (place !== undefined) go(sampleHash(run, place.row, filter, { at: place.offset }), { replace: true })
  }
  const unlabelled = useNextUnlabelled(source, {
    run,
    filter,
    task,
    index,
    last: near.offset ?? addressOffset,
    show: to,
  })
  const list = samplesHash(run, filter, { at: near.offset })
  const label = (mark: Mark['label'], note?: string): void => {
    if (sample === undefined || !source.can.label) return
    const row = { ...sample, ...markedAs(sample) }
    void labelling.add(run, row, mark, note).then(isDone => isDone && reload())
  }
  useShortcuts([
    { keys: ['j', 'ArrowRight'], does: 'next sample of the list', run: () => to(near.next) },
    { keys: ['k', 'ArrowLeft'], does: 'previous sample of the list', run: () => to(near.previous) },
    { keys: ['l', 'Backspace'], does: 'back to the list', run: () => go(list) },
    ...(source.can.label
      ? labelShortcuts({
          label,
          note: () => setIsNoting(true),
          undo: () => void labelling.undo().then(isDone => isDone && reload()),
        }).concat({ keys: ['v'], does: 'next sample without a label', run: unlabelled.next })
      : []),
  ])
  return (
    <article class="sample-page" aria-busy={isLoading}>
      <header class="sample-head">
        <nav aria-label="Samples of the list">
          <a href={list}>Samples of {visibleText(run)}</a>
          <button type="button" disabled={near.previous === undefined} onClick={() => to(near.previous)}>
            ← Previous
          </button>
          <button type="button" disabled={near.next === undefined} onClick={() => to(near.next)}>
            Next →
          </button>
          {source.can.label && (
            <button type="button" onClick={unlabelled.next}>
              Next unlabelled
            </button>
          )}
          <span class="dim" role="status">
            {near.offset !== undefined && near.total !== undefined
              ? `${formatCount(near.offset + 1)} of ${formatCount(near.total)}${filter.only === 'all' ? '' : ` ${kindNames[filter.only].toLowerCase()}`}`
              : near.isOutside && 'The filter of the list does not find this sample.'}
          </span>
        </nav>
        <h1>
          {sample === undefined ? `Doc ${index}` : formatLine(sample.id)}{' '}
          {sample !== undefined && (
            <>
              <span class="dim">{formatLine(sample.taskName)}</span> <OutcomeBadge {...sample} />
            </>
          )}
        </h1>
      </header>
      {unlabelled.isDone && <p role="status">Every other sample of the list has a label.</p>}
      {[error, other.error, labelling.error, unlabelled.error].map(
        problem =>
          problem !== undefined && (
            <p key={problem} class="problem" role="alert">
              {visibleText(problem)}
            </p>
          ),
      )}
      {sample === undefined && error === undefined && <p class="dim">The sample is being read…</p>}
      {sample !== undefined && (
        <SearchProvider value={filter.q ?? ''}>
          <SampleBody
            key={`${task}/${index}`}
            {...{ source, run, sample }}
            {...(against !== undefined &&
              other.value !== undefined &&
              !other.isLoading && { against, other: other.value })}
            {...(source.can.label && { label, note: () => setIsNoting(true) })}
          />
        </SearchProvider>
      )}
      {isNoting && sample !== undefined && (
        <NoteDialog of={{ id: sample.id, ...markedAs(sample) }} close={() => setIsNoting(false)} save={label} />
      )}
    </article>
  )
}

/** The newest label of the sample. */
function markedAs({ marks }: SampleView): { readonly marked?: Mark['label'] } {
  const newest = marks.toSorted((a, b) => b.at.localeCompare(a.at))[0]
  return newest === undefined ? {} : { marked: newest.label }
}

/** Finds the same doc in another run, where tasks and docs may be in another order. Undefined if that run does not have it. */
async function otherSample(
  source: Source,
  run: string,
  { taskName, id, index }: Pick<SampleView, 'taskName' | 'id' | 'index'>,
): Promise<SampleView | undefined> {
  const { provenance } = await source.run(run)
  const task = provenance.tasks.findIndex(({ name }) => name === taskName)
  if (task < 0) return undefined
  const likely = await source.sample(run, task, index).catch(() => undefined)
  if (likely?.id === id) return likely
  const page = await source.samples(run, { only: 'all', task: taskName, q: `"${id}"`, offset: 0, limit: 100 })
  const row = page.rows.find(each => each.id === id)
  return row === undefined ? undefined : source.sample(run, row.task, row.index)
}
