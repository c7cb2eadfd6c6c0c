import { useState } from 'preact/hooks'
import type { ModelRow } from '../../../present/page/data/index.js'
import { findModel, listModels } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Problem } from '../../parts/problem.js'
import { formatHash } from '../../routing/address.js'

/** The model backends that a run can name, each with its arguments. */
export function ModelsPage() {
  const models = useLoaded('models', () => listModels())
  return (
    <section class="models-page">
      <h1>Models</h1>
      <Problem of={models} />
      {models.isLoading && <p role="status">loading</p>}
      {models.value?.map(model => (
        <Model key={model.id} model={model} />
      ))}
    </section>
  )
}

function Model({ model: { id, aliases, summary, origin } }: { readonly model: ModelRow }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="card" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{id}</strong>
        {aliases.length > 0 && <span class="dim"> also {aliases.join(', ')}</span>} <span>{summary}</span>
        {origin !== 'built-in' && <span class="kind">{origin}</span>}
      </summary>
      {isOpen && <Arguments id={id} />}
    </details>
  )
}

function Arguments({ id }: { readonly id: string }) {
  const model = useLoaded(`model ${id}`, () => findModel(id))
  const { value } = model
  if (value === undefined) return <Problem of={model} />
  return (
    <>
      <p>
        Takes {value.accepts.join(', ')}; answers {value.requests.join(', ')}.{' '}
        <a href={formatHash(['new'], { model: id })}>Start a run with it</a>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Arguments of ${id}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">argument</th>
              <th scope="col">type</th>
              <th scope="col">default</th>
              <th scope="col">in the key</th>
              <th scope="col">what it is</th>
            </tr>
          </thead>
          <tbody>
            {value.args.map(argument => (
              <tr key={argument.name}>
                <th scope="row">
                  <code>{argument.name}</code>
                </th>
                <td>{argument.type}</td>
                <td>{argument.isRequired ? 'required' : (argument.default ?? '')}</td>
                <td>{argument.effect === 'output' ? 'yes' : 'no'}</td>
                <td>{argument.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">A changed argument that is in the key asks every request again.</p>
    </>
  )
}
