import { Component, type ComponentChildren } from 'preact'

/** Makes a component that only renders again if its properties change. Preact has this only in its compatibility package. */
export function memo<P extends object>(draw: (props: P) => ComponentChildren, isSame: (old: P, now: P) => boolean) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(now: P): boolean {
      return !isSame(this.props, now)
    }
    override render() {
      return draw(this.props)
    }
  }
}
