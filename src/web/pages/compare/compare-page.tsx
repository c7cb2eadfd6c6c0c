/** Two runs, paired by request. The second is compared with the first. */
import type { PageProps } from '../../app.js'
import { useLive } from '../../data/use-live.js'
import { lineOf } from '../../parts/safe-text.js'
import { hashOf, useQuery } from '../../routing/address.js'
import { ChooseRuns } from './choose-runs.js'
import { ComparedTable } from './compared-table.js'
import { FlippedSamples } from './flipped-samples.js'
import { MetricDetails } from './metric-details.js'

export function ComparePage({ source }: PageProps) {
  const [{ a = '', b = '' }, change] = useQuery()
  const isChosen = a !== '' && b !== ''
  const { value: view, error } = useLive({
    source,
    key: JSON.stringify([a, b]),
    load: () => (isChosen ? source.compare(a, b) : Promise.resolve(undefined)),
    concerns: moved =>
      isChosen && (moved?.some(name => [a, b].some(run => run.replace(/@\d+$/, '') === name)) ?? false),
  })
  return (
    <article class="compare-page">
      <h1>Compare</h1>
      <ChooseRuns source={source} a={a} b={b} change={change} />
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {isChosen && view === undefined && error === undefined && <p class="dim">Comparing…</p>}
      {view !== undefined && (
        <>
          <p class="run-facts">
            <span>
              A, the baseline: <a href={hashOf(['runs', a])}>{lineOf(a)}</a> · {lineOf(view.a.model)}
            </span>
            <span>
              B: <a href={hashOf(['runs', b])}>{lineOf(b)}</a> · {lineOf(view.b.model)}
            </span>
          </p>
          <ComparedTable metrics={view.metrics} />
          {view.notes.length > 0 && (
            <ul class="notes">
              {view.notes.map(note => (
                <li key={note}>{lineOf(note, 1000)}</li>
              ))}
            </ul>
          )}
          <MetricDetails metrics={view.metrics} a={a} b={b} />
          <FlippedSamples source={source} a={a} b={b} />
        </>
      )}
    </article>
  )
}
