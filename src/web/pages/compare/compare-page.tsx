/** Two runs, paired by task and doc. The second is compared with the first. */
import type { PageProps } from '../../app.js'
import { useLive } from '../../data/use-live.js'
import { formatLine } from '../../parts/safe-text.js'
import { formatHash, useQuery } from '../../routing/address.js'
import { ComparedTable } from './compared-table.js'
import { FlippedSamples } from './flipped-samples.js'
import { MetricDetails } from './metric-details.js'
import { WhatDiffers } from './what-differs.js'
import type { Source } from '../../data/source.js'
import { RunField } from '../../parts/run-field.js'

/** Compares two runs metric by metric. */
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
      {!isChosen && <p class="dim">Choose two runs. The second one is compared with the baseline, doc by doc.</p>}
      {isChosen && view === undefined && error === undefined && <p class="dim">Comparing…</p>}
      {view !== undefined && (
        <>
          <p class="run-facts">
            <span>
              A, the baseline: <a href={formatHash(['runs', a])}>{formatLine(a)}</a> · {formatLine(view.a.model)}
            </span>
            <span>
              B: <a href={formatHash(['runs', b])}>{formatLine(b)}</a> · {formatLine(view.b.model)}
            </span>
          </p>
          {view.differences.length > 0 && (
            <div class="differing" role="note">
              <p>The runs were not asked or judged the same, so that more than the model may explain a difference:</p>
              <ul>
                {view.differences.map(difference => (
                  <li key={difference}>{formatLine(difference, 1000)}</li>
                ))}
              </ul>
            </div>
          )}
          <ComparedTable metrics={view.metrics} />
          {view.notes.length > 0 && (
            <ul class="notes">
              {view.notes.map(note => (
                <li key={note}>{formatLine(note, 1000)}</li>
              ))}
            </ul>
          )}
          <WhatDiffers view={view} />
          <MetricDetails metrics={view.metrics} a={a} b={b} />
          <FlippedSamples key={JSON.stringify([a, b])} source={source} a={a} b={b} />
        </>
      )}
    </article>
  )
}

interface ChooseRunsProps {
  readonly source: Source
  readonly a: string
  readonly b: string
  readonly change: (changes: { readonly a?: string; readonly b?: string }) => void
}

/** The two fields take the name of a run, or `NAME@2` for its second judgement. */
function ChooseRuns({ source, a, b, change }: ChooseRunsProps) {
  return (
    <div class="filters">
      <RunField source={source} title="Baseline A" name={a} choose={name => change({ a: name })} />
      <RunField source={source} title="Run B" name={b} choose={name => change({ b: name })} />
      <button type="button" disabled={a === '' || b === ''} onClick={() => change({ a: b, b: a })}>
        Swap A and B
      </button>
    </div>
  )
}
