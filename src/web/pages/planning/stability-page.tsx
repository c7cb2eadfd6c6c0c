/** The stability of a run with several samples of each doc: how far the samples agree, and the docs to look at. */
import { formatCount, formatDecimal, formatQuantity, range } from '../../../../base/text/numbers.js'
import type { DiagnosedDocs, TaskStabilityView } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Problem } from '../../parts/problem.js'
import { RunField } from '../../parts/run-field.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { formatHash, useQuery } from '../../routing/address.js'
import { samplesHash } from '../samples/sample-address.js'

/** Shows EA, CA, IV, CR and the estimates for k samples. */
export function StabilityPage({ source, address }: PageProps) {
  const run = address.path[1] ?? ''
  const [query, change] = useQuery()
  const others = (query['with'] ?? '').split(',').filter(name => name !== '')
  const stability = useLoaded(JSON.stringify([run, others]), () =>
    source.can.start
      ? source.stability(run, others)
      : Promise.reject(new Error(`This server only shows runs. Use: pipeline stability ${run}`)),
  )
  const { value } = stability
  return (
    <article class="planning-page">
      <p class="crumbs">
        <a href={formatHash(['runs', run])}>{formatLine(run, 80)}</a>
      </p>
      <h1>Stability</h1>
      <p class="dim">
        Each sample of a doc is scored alone, by the rules as they are now. No request is sent. Another run of the same
        tasks tells docs that are hard for this model from docs whose target may be wrong.
      </p>
      <form class="filters" aria-label="Further runs" onSubmit={event => event.preventDefault()}>
        <RunField
          source={source}
          title="Diagnose with run"
          name=""
          choose={name => name !== '' && change({ with: [...new Set([...others, name])].join(',') })}
        />
        {others.map(name => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-label={`Without ${name}`}
            onClick={() => change({ with: others.filter(other => other !== name).join(',') })}
          >
            {formatLine(name, 60)} ×
          </button>
        ))}
      </form>
      <Problem of={stability} />
      {stability.isLoading && <p role="status">Scoring the samples…</p>}
      {value !== undefined && !stability.isLoading && (
        <>
          {value.tasks.map(task => (
            <MetricStability key={`${task.task} ${task.metric}`} run={run} task={task} />
          ))}
          {value.leftOut > 0 && (
            <p role="note">
              {formatQuantity(value.leftOut, 'doc')} left out, because a sample has no answer or no score
              {value.reason !== undefined && `: ${formatLine(value.reason, 300)}`}.
            </p>
          )}
        </>
      )}
    </article>
  )
}

function MetricStability({ run, task }: { readonly run: string; readonly task: TaskStabilityView }) {
  const title = `${formatLine(task.task, 60)} ${formatLine(task.metric, 60)}`
  const { samples, mostSamples } = task
  const rows = [
    ['EA', 'Expected accuracy, or pass@1: the mean of all scores', task.expectedAccuracy],
    ['CA', 'Consensus accuracy: docs with a majority of right samples', task.consensusAccuracy],
    ['IV', 'Internal variance: the mean variance of a doc’s scores', task.internalVariance],
    ['CR', 'Consistency rate: docs whose scores are all equal', task.consistencyRate],
    // With one sample, every measure equals EA.
    ...task.attempts
      .filter(({ k }) => k > 1)
      .flatMap(
        ({ k, passAtK, passHatK, majAtK }) =>
          [
            [`pass@${k}`, `At least one of ${k} is right`, passAtK],
            [`pass^${k}`, `All of ${k} are right`, passHatK],
            [`maj@${k}`, `The majority vote of ${k} is right`, majAtK],
          ] as const,
      ),
  ] as const
  return (
    <section>
      <h2>{title}</h2>
      <p class="dim">
        {formatQuantity(task.docs, 'doc')} with {formatCount(samples)}
        {mostSamples > samples && ` to ${formatCount(mostSamples)}`} samples each
      </p>
      <TableBox
        label={`Stability of ${title}`}
        columns={[
          { title: 'Measure' },
          { title: 'Value', align: 'right' },
          { title: '95 % interval' },
          { title: 'Meaning' },
        ]}
        class="compact"
      >
        {rows.map(([name, meaning, { value, interval }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="right">{formatDecimal(value)}</td>
            <td class="numbers">{range(interval)}</td>
            <td>{meaning}</td>
          </tr>
        ))}
      </TableBox>
      {diagnoses.map(([key, words]) => {
        const found = task[key]
        return found && <Diagnosis key={key} {...{ run, task: task.task, words, found }} />
      })}
    </section>
  )
}

const diagnoses = [
  ['ambiguous', 'ambiguous: the samples disagree'],
  ['confidentlyWrong', 'confidently wrong: all samples give one wrong answer'],
  ['modelSpecific', 'wrong here and right in the other runs'],
  ['wrongEverywhere', 'wrong in all runs: look at the target'],
] as const

interface DiagnosisProps {
  readonly run: string
  readonly task: string
  readonly words: string
  readonly found: DiagnosedDocs
}

/** A doc leads to its sample. */
function Diagnosis({ run, task, words, found: { docs, first } }: DiagnosisProps) {
  return (
    <details class="card">
      <summary>
        {formatQuantity(docs, 'doc')} {words}
      </summary>
      <ul class="names">
        {first.map(({ id, answer }) => (
          <li key={id}>
            <a href={samplesHash(run, { only: 'all', task, q: id })}>{formatLine(id, 80)}</a>
            {answer !== undefined && <span class="dim"> {formatLine(answer, 80)}</span>}
          </li>
        ))}
      </ul>
      {docs > first.length && <p class="dim">Only the first {formatCount(first.length)} are listed.</p>}
    </details>
  )
}
