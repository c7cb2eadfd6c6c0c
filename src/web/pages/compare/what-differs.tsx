/** Shows differing settings and prompts of two runs. Words that the other run lacks are marked. */
import type { CompareView } from '../../../present/page/data/index.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { SafeText } from '../../parts/text.js'
import { wordDifferences } from '../sample/word-differences.js'

/** Shows the settings and the prompt in which two runs differ. */
export function WhatDiffers({ view: { settings, prompt } }: { readonly view: CompareView }) {
  return (
    <section class="what-differs">
      <h2>What differs</h2>
      {settings.length === 0 ? (
        <p>The settings are the same.</p>
      ) : (
        <TableBox
          label="Settings that differ"
          columns={[{ title: 'Setting' }, { title: 'A' }, { title: 'B' }]}
          class="compact"
        >
          {settings.map(({ name, a, b }) => (
            <SettingRow key={name} name={name} a={a} b={b} />
          ))}
        </TableBox>
      )}
      {prompt !== undefined && (
        <>
          <h3>
            Prompt of {formatLine(prompt.id, 60)} <span class="dim">{formatLine(prompt.taskName, 60)}</span>
          </h3>
          <Prompts a={prompt.a} b={prompt.b} />
        </>
      )}
    </section>
  )
}

interface SettingRowProps {
  readonly name: string
  readonly a: string | null
  readonly b: string | null
}

function SettingRow({ name, a, b }: SettingRowProps) {
  const differ = a === null || b === null ? undefined : wordDifferences(a, b)
  return (
    <tr>
      <th scope="row">{formatLine(name, 120)}</th>
      <td class="text">{a === null ? <span class="dim">not set</span> : <Marked text={a} spans={differ?.a} />}</td>
      <td class="text">{b === null ? <span class="dim">not set</span> : <Marked text={b} spans={differ?.b} />}</td>
    </tr>
  )
}

type Spans = readonly (readonly [start: number, end: number])[]

const Marked = ({ text, spans }: { readonly text: string; readonly spans: Spans | undefined }) => (
  <SafeText text={text} marks={spans ?? []} markTitle="The other run has other words here." />
)

function Prompts({ a, b }: { readonly a: string; readonly b: string }) {
  const differ = wordDifferences(a, b)
  return (
    <div class="pair">
      <section class="side" aria-label="Prompt of A">
        <h4>A</h4>
        <Marked text={a} spans={differ?.a} />
      </section>
      <section class="side" aria-label="Prompt of B">
        <h4>B</h4>
        <Marked text={b} spans={differ?.b} />
      </section>
    </div>
  )
}
