import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mediaIn, mediumName } from '../../bundle/media.js'
import type { MediaDigest } from '../../digest.js'
import type { Context } from '../connection/context.js'

const unansweredSql = `
  SELECT n.preimage FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance
    LEFT JOIN response s ON s.request = r.id
  WHERE s.seq IS NULL AND typeof(n.preimage) = 'text' AND instr(n.preimage, '"media":') > 0`

/** Media that requests without an answer show and that are not in the store. What was answered needs them no more, as after an import. */
export function missingMedia(context: Context, dir: string): readonly MediaDigest[] {
  const shown = new Set<MediaDigest>()
  for (const { preimage } of context.sql<{ preimage: string }>(unansweredSql).iterate())
    for (const digest of mediaIn(preimage)) shown.add(digest)
  return [...shown].filter(digest => !existsSync(join(dir, mediumName(digest)))).sort()
}
