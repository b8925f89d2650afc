//! `body unless escape`: two sequences, of which the second interrupts the first.

use super::Lowering;
use super::flow::{Grouping, Node, NodeKind, SequenceId};
use crate::ast::{Name, Stmt, StmtKind};
use panoptes_source::Span;

impl Lowering<'_> {
    /// `body unless escape`. A label before the body belongs to the whole.
    pub(super) fn read_unless(
        &mut self,
        mut labels: Vec<(Name, Span)>,
        body: &Stmt,
        escape: &Stmt,
        span: Span,
    ) -> Option<Node> {
        labels.extend(body.labels.iter().map(|label| (label.name.clone(), label.span)));
        let block_of = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Block(block) => Some(block.clone()),
            _ => None,
        };
        let main_block = block_of(body);
        let main_sequence = main_block.as_ref().map(|block| self.sequence(block, "{ Label: … } unless …"));
        let main_node = match main_block {
            Some(_) => None,
            None => self.read(&Stmt { labels: Vec::new(), ..body.clone() }),
        };
        let escape_sequence = match block_of(escape) {
            Some(block) => self.sequence(&block, "… unless { Label: … }"),
            None => {
                let node = self.read(escape)?;
                self.body().flow.open();
                self.body().flow.add(node);
                let sequence = self.body().flow.close();
                self.check_first_label(sequence, "… unless Label: statement");
                sequence
            }
        };
        let unless = |main: SequenceId| Node {
            labels: Vec::new(),
            kind: NodeKind::Unless { main, escape: escape_sequence },
            span,
            implied: false,
        };
        if let Some(node) = main_node {
            if let NodeKind::Group(grouping, inner) = node.kind
                && !labels.is_empty()
            {
                return Some(self.labelled_unless(labels, unless(inner), grouping, span));
            }
            self.body().flow.open();
            self.body().flow.add(Node { labels, ..node });
            let main = self.body().flow.close();
            self.check_first_label(main, "Label: statement unless …");
            return Some(unless(main));
        }
        let main = main_sequence?;
        if labels.is_empty() {
            return Some(unless(main));
        }
        Some(self.labelled_unless(labels, unless(main), Grouping::Plain, span))
    }

    /// The label names a group around the unless.
    fn labelled_unless(
        &mut self,
        labels: Vec<(Name, Span)>,
        unless: Node,
        grouping: Grouping,
        span: Span,
    ) -> Node {
        self.body().flow.open();
        self.body().flow.add(unless);
        let sequence = self.body().flow.close();
        Node { labels, kind: NodeKind::Group(grouping, sequence), span, implied: false }
    }
}
