// A component that is drawn again only when one of its properties is another value.
import { Component, createElement, type ComponentType, type VNode } from 'preact';

export function memo<P extends object>(inner: ComponentType<P> | ((props: P) => VNode)) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as unknown as Record<string, unknown>;
      const then = next as unknown as Record<string, unknown>;
      return Object.keys(then).some((name) => !Object.is(now[name], then[name]));
    }
    override render() {
      return createElement(inner as ComponentType<P>, this.props as P);
    }
  };
}
