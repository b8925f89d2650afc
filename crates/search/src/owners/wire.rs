//! Numbers and bytes as owners send them: seven bits a byte, least first, so that small numbers are short.

use panoptes_exec::{Fault, FaultKind, Step};
use panoptes_model::TransId;
use panoptes_source::{ExpansionId, FileId, Span};

#[derive(Debug, Default)]
pub(super) struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Bytes, with their number before them.
    #[inline]
    pub fn text(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn real(&mut self, number: f64) {
        self.bytes.extend_from_slice(&number.to_bits().to_le_bytes());
    }

    pub fn fault(&mut self, fault: &Fault) {
        let kind = FaultKind::ALL.iter().position(|kind| *kind == fault.kind).expect("all kinds are listed");
        self.number(kind as u64);
        self.text(fault.message.as_bytes());
        let Span { file, lo, hi, expansion } = fault.span;
        let expansion = expansion.map_or(0, ExpansionId::number);
        [file.0, lo, hi, expansion].iter().for_each(|number| self.number(u64::from(*number)));
    }

    pub fn step(&mut self, step: Step) {
        self.number(u64::from(step.pid));
        self.number(u64::from(step.transition.0));
        // Zero if there is no partner.
        self.number(step.partner.map_or(0, |(pid, _)| u64::from(pid) + 1));
        self.number(step.partner.map_or(0, |(_, transition)| u64::from(transition.0)));
    }
}

/// Reads what a [`Writer`] wrote. None where the bytes are something else.
pub(super) struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    #[inline]
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub fn length(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    #[inline]
    pub fn text(&mut self) -> Option<&'b [u8]> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    pub fn real(&mut self) -> Option<f64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(f64::from_bits(u64::from_le_bytes(*bytes)))
    }

    pub fn fault(&mut self) -> Option<Fault> {
        let kind = *FaultKind::ALL.get(self.length()?)?;
        let message = String::from_utf8(self.text()?.to_vec()).ok()?;
        let (file, lo, hi) = (FileId(self.small()?), self.small()?, self.small()?);
        let expansion = ExpansionId::of_number(self.small()?);
        Some(Fault { kind, message, span: Span { file, lo, hi, expansion } })
    }

    pub fn step(&mut self) -> Option<Step> {
        let pid = self.number()?.try_into().ok()?;
        let transition = TransId(self.small()?);
        let (partner, other) = (self.small()?, TransId(self.small()?));
        let partner = match partner {
            0 => None,
            number => Some((u8::try_from(number - 1).ok()?, other)),
        };
        Some(Step { pid, transition, partner })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let fault = Fault {
            kind: FaultKind::DivisionByZero,
            message: "ouch".to_string(),
            span: Span { file: FileId(2), lo: 7, hi: 900, expansion: ExpansionId::of_number(3) },
        };
        let alone = Step { pid: 3, transition: TransId(1000), partner: None };
        let steps = [alone, Step { partner: Some((0, TransId(5))), ..alone }];
        let mut writer = Writer::default();
        numbers.iter().for_each(|number| writer.number(*number));
        writer.text(b"abc");
        writer.real(0.25);
        writer.fault(&fault);
        steps.iter().for_each(|step| writer.step(*step));
        let mut reader = Reader(&writer.bytes);
        assert!(numbers.iter().all(|number| reader.number() == Some(*number)));
        assert_eq!(reader.text(), Some(&b"abc"[..]));
        assert_eq!((reader.real(), reader.fault()), (Some(0.25), Some(fault)));
        assert!(steps.iter().all(|step| reader.step() == Some(*step)) && reader.is_at_end());
        assert_eq!(reader.number(), None);
        assert_eq!(Reader(&[0xff; 12]).number(), None, "no number has so many bits");
        assert_eq!(Reader(&[9, 1]).text(), None);
    }
}
