import { type ReactNode, useId } from 'react';
import './card.css';

interface Props {
  title?: ReactNode;
  /** One line below the title. */
  note?: ReactNode;
  actions?: ReactNode;
  /** The content reaches the borders, such as a table. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, note, actions, flush = false, children }: Props) {
  const id = useId();
  return (
    <section className="card" {...(title && { 'aria-labelledby': id })}>
      {title && (
        <header className="card-head">
          <div>
            <h2 id={id}>{title}</h2>
            {note && <p className="small soft">{note}</p>}
          </div>
          {actions && <div className="row">{actions}</div>}
        </header>
      )}
      <div className={flush ? 'card-flush' : 'card-body'}>{children}</div>
    </section>
  );
}

interface PageProps {
  title: ReactNode;
  /** The question that this page answers. */
  question?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export const Page = ({ title, question, actions, children }: PageProps) => (
  <div className="page">
    <header className="page-head">
      <div className="page-title">
        <h1 tabIndex={-1}>{title}</h1>
        {question && <p className="soft">{question}</p>}
      </div>
      {actions && <div className="row">{actions}</div>}
    </header>
    {children}
  </div>
);

/** Pairs of a name and a value. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A figure with its name, for a row of figures. */
export const Figure = ({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) => (
  <div className="figure">
    <dt>{name}</dt>
    <dd>
      <strong>{value}</strong>
      {note && <span className="small soft">{note}</span>}
    </dd>
  </div>
);

export const Figures = ({ children }: { children: ReactNode }) => <dl className="figures">{children}</dl>;
