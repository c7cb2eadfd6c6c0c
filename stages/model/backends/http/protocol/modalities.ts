import { z } from 'zod'
import { transport, type Modality } from '../../../define-backend.js'
import { frameFormat } from '../../frames/frame-arguments.js'

const modality = z.enum(['text', 'image', 'audio', 'video', 'file'])
/** Of a backend whose models take less or more than it knows. */
export const modalitiesArg = transport(
  z
    .preprocess(value => (typeof value === 'string' ? value.split(/[+|]/) : value), z.array(modality))
    .optional()
    .describe('what the model takes, where that is less or more than usual: text+image')
    .meta({ typeName: 'list' }),
)

interface StatedModalities {
  readonly modalities?: readonly Modality[] | undefined
}

/** What a model takes: what its arguments say, and text always. */
export const statedModalities = ({ modalities }: StatedModalities, usual: readonly Modality[]): readonly Modality[] =>
  modalities === undefined ? usual : [...new Set<Modality>(['text', ...modalities])]

type ModalityArguments = Parameters<typeof frameFormat>[0] & StatedModalities

/** What a model takes by its arguments: text always, and videos where they are sent as pictures. */
export function acceptedBy(args: ModalityArguments, usual: readonly Modality[]): readonly Modality[] {
  const own = statedModalities(args, usual)
  const framed = frameFormat(args) !== undefined && own.includes('image') ? (['video'] as const) : []
  return [...new Set<Modality>([...own, ...framed])]
}
