/** Everything of a run but its samples. It moves while the run does. */
import { useState } from 'preact/hooks'
import type { PageProps } from '../../app.js'
import { useLive } from '../../data/use-live.js'
import { go } from '../../routing/address.js'
import { useShortcuts } from '../../routing/keys.js'
import { samplesHash } from '../samples/sample-address.js'
import { Distributions } from './distributions.js'
import { Failures, Unjudged } from './failures.js'
import { MetricNotes } from './metric-notes.js'
import { MetricTables } from './metric-tables.js'
import { ProvenanceSection } from './provenance-section.js'
import { RunHeader } from './run-header.js'
import { Throughput } from './throughput.js'
import { Unfinished } from './unfinished.js'
import { useContinue } from './use-continue.js'

/** Shows one run: progress, scores, failures, speed and provenance. */
export function RunPage({ source, address }: PageProps) {
  const reference = address.path[1] ?? ''
  const name = reference.replace(/@\d+$/, '')
  const [round, setRound] = useState(0)
  const continuing = useContinue(name, () => setRound(count => count + 1))
  const { value: view, error } = useLive({
    source,
    key: reference,
    round,
    load: () => source.run(reference),
    concerns: moved => moved?.includes(name) ?? false,
  })
  useShortcuts([
    { keys: ['s'], does: 'samples of the run', run: () => go(samplesHash(reference, { only: 'all' })) },
    { keys: ['w'], does: 'wrong samples of the run', run: () => go(samplesHash(reference, { only: 'wrong' })) },
  ])
  return (
    <article class="run-page">
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {view === undefined ? (
        error === undefined && <p class="dim">Loading…</p>
      ) : (
        <>
          <RunHeader view={view} reference={reference} can={source.can} />
          <Unfinished view={view} continuing={source.can.start ? continuing : undefined} />
          <MetricTables view={view} reference={reference} />
          <MetricNotes view={view} />
          <Distributions {...{ source, view, reference }} />
          <Failures view={view} reference={reference} />
          <Unjudged view={view} reference={reference} />
          <Throughput throughput={view.throughput} />
          <ProvenanceSection provenance={view.provenance} />
        </>
      )}
    </article>
  )
}
