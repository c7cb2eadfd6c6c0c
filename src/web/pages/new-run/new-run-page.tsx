/** The form that starts a run. Its values are a configuration file: the same as on the command line. */
import { useEffect, useState } from 'preact/hooks'
import type { NewRunForm, NewRunPlan } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { newRunForm, planNewRun, startJob } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Problem } from '../../parts/problem.js'
import { go, formatHash } from '../../routing/address.js'
import { FieldInput, type Config } from './field-input.js'
import { shownProblems } from './shown-problems.js'
import { TaskChoice } from './task-choice.js'

/** Shows the form that plans and starts a run. */
export function NewRunPage({ address, source }: PageProps) {
  const { from, model, tasks } = address.query
  const form = useLoaded(`new ${from ?? ''}`, () => newRunForm(from))
  if (!source.can.start) return <p>This server only shows runs.</p>
  // While a form is loaded, the older value is the form of another run.
  if (form.value === undefined || form.isLoading)
    return (
      <>
        <h1>New run</h1>
        <Problem of={form} />
        {form.isLoading && <p role="status">loading</p>}
      </>
    )
  const queryConfig = { ...(model !== undefined && { model }), ...(tasks !== undefined && { tasks: tasks.split(',') }) }
  return (
    <Form
      key={JSON.stringify([from, model, tasks])}
      form={form.value}
      initial={{ ...form.value.config, ...queryConfig }}
      from={from}
    />
  )
}

interface FormProps {
  readonly form: NewRunForm
  readonly initial: Config
  readonly from: string | undefined
}

function Form({ form, initial, from }: FormProps) {
  const [config, setConfig] = useState<Config>(initial)
  const [failed, setFailed] = useState<string>()
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isTried, setTried] = useState(false)
  const plan = useLoaded(JSON.stringify(config), signal => planNewRun(config, signal)).value
  const touch = (field: string): void => setTouched(fields => new Set(fields).add(field))
  const set = (name: string, value: unknown): void => {
    touch(name)
    setConfig(before => withValue(before, name, value))
  }
  const start = (): void => {
    setTried(true)
    if (plan === undefined || plan.problems.length > 0) return
    startJob(plan.job).then(
      () => go(formatHash(['jobs'])),
      (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)),
    )
  }
  const modelId = typeof config['model'] === 'string' ? config['model'] : ''
  const chosen = form.models.find(({ id }) => id === modelId)
  const modelArgs = asConfig(config['model_args'])
  const groups = [...new Set(form.fields.map(({ group }) => group))]
  const listProblems = (field: string): readonly string[] =>
    shownProblems(plan?.problems ?? [], { field, touched, isTried })
  return (
    <section class="new-run-page">
      <h1>{from === undefined ? 'New run' : `New run, with the settings of ${from}`}</h1>
      <div class="new-run">
        <form
          onSubmit={event => {
            event.preventDefault()
            start()
          }}
        >
          <fieldset>
            <legend>Model</legend>
            <label>
              Backend{' '}
              <select
                value={modelId}
                onChange={event => {
                  set('model', event.currentTarget.value === '' ? undefined : event.currentTarget.value)
                  set('model_args', undefined)
                }}
              >
                <option value="">choose one</option>
                {form.models.map(({ id, summary }) => (
                  <option key={id} value={id}>
                    {id} – {summary}
                  </option>
                ))}
              </select>
            </label>
            <Problems messages={listProblems('model')} />
            {chosen?.args.map(field => (
              <FieldInput
                key={`${chosen.id} ${field.name}`}
                field={field}
                value={modelArgs[field.name]}
                problems={listProblems(`model_args.${field.name}`)}
                set={value => {
                  touch(`model_args.${field.name}`)
                  set('model_args', withValue(modelArgs, field.name, value))
                }}
              />
            ))}
            <Problems messages={listProblems('model_args')} />
          </fieldset>
          <fieldset>
            <legend>Tasks</legend>
            <TaskChoice
              chosen={namesIn(config['tasks'])}
              choose={names => set('tasks', names.length === 0 ? undefined : names)}
            />
            <Problems messages={listProblems('tasks')} />
          </fieldset>
          {groups.map(group => (
            <details key={group} class="card">
              <summary>{group}</summary>
              {form.fields
                .filter(field => field.group === group)
                .map(field => (
                  <FieldInput
                    key={field.name}
                    field={field}
                    value={config[field.name]}
                    problems={listProblems(field.name)}
                    set={value => set(field.name, value)}
                  />
                ))}
            </details>
          ))}
          <Problems messages={[...listProblems(''), ...(failed === undefined ? [] : [failed])]} />
          <button class="primary" type="submit" disabled={plan === undefined}>
            Start
          </button>
        </form>
        <Meaning plan={plan} />
      </div>
    </section>
  )
}

/** Shows the form's values as a configuration file and as a command line. */
function Meaning({ plan }: { readonly plan: NewRunPlan | undefined }) {
  return (
    <aside aria-label="The same as a file and as a command">
      <Copied title="Command line" text={plan?.command ?? ''} />
      <Copied title="Configuration file" text={plan?.yaml ?? ''} />
    </aside>
  )
}

function Copied({ title, text }: { readonly title: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => setCopied(false), [text])
  return (
    <>
      <h2>
        {title}{' '}
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
          aria-label={`Copy the ${title.toLowerCase()}`}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </h2>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </>
  )
}

function Problems({ messages }: { readonly messages: readonly string[] }) {
  if (messages.length === 0) return null
  return (
    <div class="problem" role="alert">
      {messages.map(message => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

/** Undefined removes the value. */
const withValue = (config: Config, name: string, value: unknown): Config =>
  Object.fromEntries(Object.entries({ ...config, [name]: value }).filter(([, fieldValue]) => fieldValue !== undefined))

const asConfig = (value: unknown): Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {}

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []
