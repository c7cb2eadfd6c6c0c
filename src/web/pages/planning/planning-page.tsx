/** Plans a comparison: the number of docs that it needs, the smallest difference that they show, and the power curve. */
import type { PowerQuery } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Problem } from '../../parts/problem.js'
import { RunField } from '../../parts/run-field.js'
import { formatHash, useQuery } from '../../routing/address.js'
import { assumptionFields, readAssumptions } from './assumptions.js'
import { PlanFigures, RunPlans } from './plan-figures.js'

/** Shows the plan that the address describes. */
export function PlanningPage({ source }: PageProps) {
  const [query, change] = useQuery()
  const { run, against } = query
  const powerQuery: PowerQuery = {
    ...(run !== undefined && { run, ...(against !== undefined && { against }) }),
    ...readAssumptions(query),
  }
  const plan = useLoaded(JSON.stringify(powerQuery), () => source.power(powerQuery))
  const { value } = plan
  return (
    <article class="planning-page">
      <h1>Planning</h1>
      <p class="dim">
        How many docs does the comparison of two models on the same docs need? A run gives the spread of its scores; a
        second one gives the spread of the differences. Empty fields have the defaults that they show.
      </p>
      <form class="plan-fields" aria-label="Assumptions" onSubmit={event => event.preventDefault()}>
        <RunField source={source} title="Run A" name={run ?? ''} choose={name => change({ run: name })} />
        {run !== undefined && (
          <RunField source={source} title="Run B" name={against ?? ''} choose={name => change({ against: name })} />
        )}
        {assumptionFields.map(({ name, title, initial, least, most, step }) => (
          <label key={name}>
            {title}{' '}
            <input
              type="number"
              value={query[name] ?? ''}
              placeholder={isMeasured(name, query) ? 'as measured' : initial}
              {...{ min: least, max: most, step }}
              onChange={event => change({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
      </form>
      <Problem of={plan} />
      {value === undefined && plan.isLoading && <p class="dim">Computing…</p>}
      {value !== undefined && plan.error === undefined && (
        <div aria-busy={plan.isLoading}>
          {'plan' in value ? <PlanFigures plan={value.plan} /> : <RunPlans power={value.runs} />}
        </div>
      )}
      {run !== undefined && (
        <p>
          <a href={formatHash(['runs', run, 'stability'])}>Stability of run A</a>: how far several samples of a doc
          agree
        </p>
      )}
    </article>
  )
}

const fromScores: ReadonlySet<string> = new Set(['std', 'docs', 'clusterSize', 'icc'])

/** Tells whether runs provide an assumption. One run provides all except the correlation, two runs provide all. */
const isMeasured = (name: string, { run, against }: Readonly<Record<string, string>>): boolean =>
  run !== undefined && (fromScores.has(name) || (name === 'correlation' && against !== undefined))
