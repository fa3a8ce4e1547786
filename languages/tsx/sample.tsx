import React from "react";

interface Props {
  title: string;
}

export const Panel = React.memo(({ title }: Props) => {
  const onClick = () => alert(title);
  return <button onClick={onClick}>{title}</button>;
});

export default class App extends React.Component<Props> {
  state = { open: false };

  toggle = () => this.setState({ open: !this.state.open });

  render() {
    return <Panel title={this.props.title} />;
  }
}
