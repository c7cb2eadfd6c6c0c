import type { Json } from '../../../../../base/canonical-json.js'
import type { GenerationKwargs } from '../../../../../cache/records.js'
import { impossible } from './failure.js'

/** What only local models understand; task files carry it along for them. The last two are looked at by themselves. */
const notSent: ReadonlySet<string> = new Set(['do_sample', 'image_aspect_ratio', 'use_cache', 'num_beams', 'until'])

/** Generation kwargs that have no meaning of their own here, for the server to take or refuse. */
export function otherKwargs(others: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  return Object.fromEntries(Object.entries(others).filter(([name]) => !notSent.has(name)))
}

/** @throws AttemptError of class `invalid_request` for what no API does. */
export function refuseBeams({ num_beams: beams }: GenerationKwargs): void {
  if (beams !== undefined && beams > 1) throw impossible('num_beams: a chat server has no beam search')
}
