import type { Part, PartFiles } from './wordnet-files.js'

/** Endings, and what comes in their place. */
const endings: Readonly<Record<Part, readonly (readonly [string, string])[]>> = {
  n: pairs('s> ses>s ves>f xes>x zes>z ches>ch shes>sh men>man ies>y'),
  v: pairs('s> ies>y es>e es> ed>e ed> ing>e ing>'),
  a: pairs('er> est> er>e est>e'),
  r: [],
}

function pairs(text: string): readonly (readonly [string, string])[] {
  return text.split(' ').map(pair => {
    const [ending = '', instead = ''] = pair.split('>')
    return [ending, instead]
  })
}

/** Whether one ending is taken off, or where that gives no word another one, and so on. */
export type Depth = 'once' | 'repeated'

/**
 * The words in WordNet that `form` is a form of: itself, then those of the exceptions where it is one, else those that an ending
 * of its part of speech leaves.
 *
 * Source: morphy(7WN), as NLTK 3.9.1 (`once`) and wn 0.0.23 (`repeated`) have it.
 */
export function baseForms(
  form: string,
  { part, files, depth }: { readonly part: Part; readonly files: PartFiles; readonly depth: Depth },
): readonly string[] {
  const inWordNet = (forms: readonly string[]): readonly string[] => [...new Set(forms.filter(files.has))]
  const exceptions = files.irregular.get(form)
  if (exceptions !== undefined) return inWordNet([form, ...exceptions])
  let shorter = without([form], part)
  let found = inWordNet([form, ...shorter])
  while (depth === 'repeated' && found.length === 0 && shorter.length > 0) {
    shorter = without(shorter, part)
    found = inWordNet(shorter)
  }
  return found
}

const without = (forms: readonly string[], part: Part): readonly string[] =>
  forms.flatMap(form =>
    endings[part].flatMap(([ending, instead]) =>
      form.endsWith(ending) ? [form.slice(0, form.length - ending.length) + instead] : [],
    ),
  )
