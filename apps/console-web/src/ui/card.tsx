import { type ReactNode, useEffect, useId, useRef } from 'react';
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

export function Page({ title, question, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A title is one text, and changes with what the page has read.
  useEffect(() => {
    document.title = `${plainText(heading.current?.textContent ?? '')} · Sluice`;
  });
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {question && <p className="soft">{question}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Removes the characters that could change the direction of what stands behind a text. */
const plainText = (text: string): string => text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');

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
