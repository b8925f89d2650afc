//! Means of ratios.

/// The geometric mean, the right one for ratios: twice as fast and half as fast cancel out. None of nothing.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

pub fn minimum(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().min_by(f64::total_cmp)
}

pub fn maximum(numbers: &[f64]) -> Option<f64> {
    numbers.iter().copied().max_by(f64::total_cmp)
}

/// The part of the numbers that is as the predicate says. None of nothing.
pub fn share(numbers: &[f64], is: impl Fn(f64) -> bool) -> Option<f64> {
    let count = numbers.iter().filter(|number| is(**number)).count();
    (!numbers.is_empty()).then(|| count as f64 / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_and_half_cancel_out() {
        assert!((geometric_mean(&[2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn of_nothing_there_is_none() {
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(minimum(&[]), None);
        assert_eq!(share(&[], |_| true), None);
    }

    #[test]
    fn extremes_and_shares() {
        assert_eq!((minimum(&[3.0, 1.0, 2.0]), maximum(&[3.0, 1.0, 2.0])), (Some(1.0), Some(3.0)));
        assert_eq!(share(&[0.5, 1.0, 1.5, 2.0], |ratio| ratio <= 1.0), Some(0.5));
    }
}
