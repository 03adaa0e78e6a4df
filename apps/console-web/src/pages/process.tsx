interface Props {
  url: string;
  name?: string;
  /** Reason why it could not be asked; null when it answers. */
  away: string | null;
}

/** A process by its name, with its address on hover; without a name, its host. */
export const Process = ({ url, name, away }: Props) => (
  <>
    <code title={url}>{name ?? hostOf(url)}</code>
    {away && <span className="small soft"> {away}</span>}
  </>
);

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
