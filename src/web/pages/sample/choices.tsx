/** The choices of a doc with their log probabilities. */
import type { SampleView } from '../../../present/page/data/index.js'
import { Badge } from '../../parts/badge.js'
import { SafeText } from '../../parts/text.js'

/** Shows the choices of a sample with their log-likelihoods. */
export function Choices({ sample: { items, target } }: { readonly sample: SampleView }) {
  const best = items.reduce<number | undefined>((most, { answer }) => {
    const logprob = answer?.logprob
    return logprob === undefined || (most !== undefined && most >= logprob) ? most : logprob
  }, undefined)
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Choices">
      <table aria-label="Choices">
        <thead>
          <tr>
            <th scope="col">Choice</th>
            <th scope="col" class="right">
              Log probability
            </th>
            <th scope="col">Greedy</th>
            <th scope="col">Chosen</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ choice, continuation, answer, failure }, index) => (
            <tr key={index} class={answer?.logprob !== undefined && answer.logprob === best ? 'is-chosen' : ''}>
              <td>
                <SafeText text={continuation ?? ''} />
              </td>
              <td class="right">{answer?.logprob?.toFixed(3) ?? (failure === undefined ? '–' : failure.class)}</td>
              <td>{answer?.isGreedy === undefined ? '' : answer.isGreedy ? 'yes' : 'no'}</td>
              <td>
                {answer?.logprob !== undefined && answer.logprob === best && (
                  <Badge tone="accent" text="most probable" />
                )}{' '}
                {(target === choice || target === continuation) && <Badge tone="good" text="target" />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
