import createXxhash from 'xxhash-wasm'
import type { ChatMessage } from '../../../../cache/records.js'
import type { PendingRequest } from './pending-request.js'

/**
 * The order in which pending requests are sent. It helps servers that cache parts of a request. `media`: requests with the same media next to each
 * other, then those with the same prefix, then those of similar length. `length`: by similar length. `none`: in the order of arrival.
 */
export type DispatchOrder = 'media' | 'length' | 'none'

export const dispatchOrders: readonly [DispatchOrder, ...DispatchOrder[]] = ['media', 'length', 'none']

/** The number of characters of the last message that count as its prefix, as in lmms-eval (`prefix_hash_chars`). */
const prefixCharacters = 256

export type Arrange = (requests: readonly PendingRequest[]) => readonly PendingRequest[]

/** Returns a function that orders requests. Equal ones keep their order, and tasks take turns. */
export async function arrangeBy(order: DispatchOrder): Promise<Arrange> {
  if (order === 'none') return requests => requests
  const isLength = order === 'length'
  const xxhash = await createXxhash()
  const hash = (text: string): string => xxhash.h64ToString(text)
  return requests => {
    const byTask = groupRequests(requests, ({ lease }) => lease.item.task)
    return takingTurns(byTask.map(ofTask => (isLength ? byLength(ofTask).map(one => [one]) : alike(ofTask, hash))))
  }
}

/** Groups requests that share media or a prefix. Any other request is a separate group. */
function alike(requests: readonly PendingRequest[], hash: (text: string) => string): PendingRequest[][] {
  return groupRequests(requests, joinMediaDigests).flatMap(sameMedia => {
    const byPrefix = groupRequests(sameMedia, request => hash(readPromptPrefix(request.lease.input.messages)))
    const shared = byPrefix.filter(group => group.length > 1).map(byLength)
    const single = byLength(byPrefix.filter(group => group.length === 1).flat())
    const [first] = sameMedia
    const hasMedia = first !== undefined && joinMediaDigests(first) !== ''
    // Requests with the same media stay together, whatever their texts.
    return hasMedia ? [[...shared.flat(), ...single]] : [...shared, ...single.map(one => [one])]
  })
}

/** Orders by length. Lengths within a power of two count as similar. */
const byLength = (requests: readonly PendingRequest[]): PendingRequest[] =>
  requests
    .map(request => ({ request, length: Math.ceil(Math.log2(1 + computeTextLength(request))) }))
    .sort((a, b) => a.length - b.length)
    .map(({ request }) => request)

/** Takes one group of each list in turn until all are used up. */
function takingTurns(lists: readonly PendingRequest[][][]): PendingRequest[] {
  const [only] = lists
  if (lists.length === 1 && only !== undefined) return only.flat()
  const most = Math.max(0, ...lists.map(list => list.length))
  return Array.from({ length: most }, (_, turn) => lists.flatMap(list => list[turn] ?? [])).flat()
}

/** Groups requests by a key, in the order of first appearance. */
function groupRequests(
  requests: readonly PendingRequest[],
  keyOf: (request: PendingRequest) => string,
): PendingRequest[][] {
  const groups = new Map<string, PendingRequest[]>()
  for (const request of requests) {
    const key = keyOf(request)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [request])
    else group.push(request)
  }
  return [...groups.values()]
}

const joinMediaDigests = ({ lease }: PendingRequest): string =>
  lease.input.messages
    .flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [] : [part.media])))
    .join()

function readPromptPrefix(messages: readonly ChatMessage[]): string {
  const leading = messages.slice(0, -1).map(({ role, content }) => `${role}\n${joinTextParts(content)}`)
  const last = messages.at(-1)
  return [...leading, last === undefined ? '' : joinTextParts(last.content).slice(0, prefixCharacters)].join('\n')
}

const computeTextLength = ({ lease }: PendingRequest): number =>
  lease.input.messages.reduce((sum, { content }) => sum + joinTextParts(content).length, 0)

const joinTextParts = (content: ChatMessage['content']): string =>
  content.map(part => (part.type === 'text' ? part.text : '')).join('')
