/** Begins with the pages, or with a form where the server needs a token first. */
import { render } from 'preact'
import { App, type NavigationEntry, type Page } from '../app.js'
import { httpSource } from '../data/http-source.js'
import { findSession, type Session } from './session.js'
import { SignIn } from './sign-in.js'

/** Signs in and draws the pages into the document. */
export async function start(
  element: Element,
  pages: readonly Page[],
  navigation: readonly NavigationEntry[],
): Promise<void> {
  const show = ({ scope }: Session): void => {
    render(<App source={httpSource({ canChange: scope !== 'read' })} pages={pages} navigation={navigation} />, element)
  }
  try {
    const session = await findSession()
    if (session === undefined) render(<SignIn done={show} />, element)
    else show(session)
  } catch (error) {
    render(
      <p role="alert">The server does not answer: {error instanceof Error ? error.message : String(error)}</p>,
      element,
    )
  }
}
