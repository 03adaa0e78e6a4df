interface Props {
  url: string;
  name?: string;
  /** Reason why it could not be asked; null when it answers. */
  unreachable: string | null;
}

/** A process by its name, with its address on hover; without a name, its host. */
export const Process = ({ url, name, unreachable }: Props) => (
  <>
    <code title={url}>{name ?? formatHost(url)}</code>
    {unreachable && <span className="small soft"> {unreachable}</span>}
  </>
);

function formatHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
