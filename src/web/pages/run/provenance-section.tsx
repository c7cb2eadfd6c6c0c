/** Shows the versions and settings that are needed to reproduce the numbers. */
import type { Provenance } from '../../../present/page/data/index.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { CopyButton } from '../../parts/copy-button.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'

/** Shows the versions, digests and settings of a run. */
export function ProvenanceSection({ provenance }: { readonly provenance: Provenance }) {
  const { version, commit, dirty, node, model, served = [], tasks, yaml, command } = provenance
  return (
    <section class="provenance">
      <h2>Provenance</h2>
      <dl class="figure-list">
        <div>
          <dt>Program</dt>
          <dd>
            {formatLine(version)} · Node {formatLine(node)}
          </dd>
        </div>
        {commit !== undefined && (
          <div>
            <dt>Commit</dt>
            <dd>
              <code>{formatLine(commit)}</code>
              {dirty === true && ' with changes that are not committed'}
            </dd>
          </div>
        )}
        {served.length > 0 && (
          <div>
            <dt>Answered by</dt>
            <dd>
              {served
                .map(({ model: name, answers }) => `${formatLine(name)} (${formatQuantity(answers, 'answer')})`)
                .join(', ')}
              , as the server says: not the name that was asked
            </dd>
          </div>
        )}
      </dl>
      <Text title="Command line" text={command} what="command line" />
      <Text title="Configuration" text={yaml} what="configuration" isFolded />
      <Text title="Model" text={pretty(model)} what="model arguments" isFolded />
      <TableBox
        label="Tasks and their datasets"
        columns={[{ title: 'Task' }, { title: 'Identity' }, { title: 'Dataset' }]}
      >
        {tasks.map(({ name, identity, dataset }) => (
          <tr key={name}>
            <th scope="row">{formatLine(name)}</th>
            <td>
              <code title={formatLine(identity)}>{formatLine(identity.slice(0, 16))}</code>
            </td>
            <td class="messages">
              <code>{formatLine(JSON.stringify(dataset), 1000)}</code>
            </td>
          </tr>
        ))}
      </TableBox>
    </section>
  )
}

interface TextProps {
  readonly title: string
  readonly text: string
  readonly what: string
  readonly isFolded?: boolean
}

function Text({ title, text, what, isFolded = false }: TextProps) {
  return (
    <details class="text-block" open={!isFolded}>
      <summary>{title}</summary>
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} aria-label={title}>
        {visibleText(text)}
      </pre>
    </details>
  )
}

const pretty = (value: Provenance['model']): string => JSON.stringify(value, null, 2)
